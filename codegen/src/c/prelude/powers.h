/* The integrals on a straight piece, all 0 where it is not narrow. */
GSF_FN gsf_num_powers gsf_num_powers_if(int narrow, gsf_num_edge left, gsf_num_edge right, gsf_num_pair width,
                                        gsf_num_deviation deviation) {
    gsf_num_powers none;
    if (narrow) {
        return gsf_num_powers_on(narrow, left, right, width, deviation);
    }
    memset(&none, 0, sizeof none);
    return none;
}
