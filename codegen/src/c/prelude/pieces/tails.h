        right.has_tails = 0;
        if (!has_left || !has_right
            || gsf_num_takes_tails(left, right, gsf_num_of(table->widths[piece - 1].high), here, sum->deviation)) {
            if (has_left) {
                gsf_num_take_tails(&left);
            }
            if (has_right) {
                gsf_num_take_tails(&right);
            }
        }
