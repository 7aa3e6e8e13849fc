/* A knot seen from gamma. */
typedef struct {
    gsf_num_edge edge;
    gsf_num_pair displacement;
    int is_right;
} gsf_num_end;

/* A stretch of one piece on one side of gamma: the direction, how far its nearer end is, the density there, and how long
   it is. */
typedef struct {
    int leftward;
    gsf_num_pair distance, density, width;
} gsf_num_panel;

/* Integrals over a part of the line, with m the mean of g on it: of 1, m itself, of (g - m)^2; for k = 1, 2 of He_k,
   of (g - m) He_k and (g - m)^2 He_k, of the derivative k inside, and of its magnitude. */
typedef struct {
    gsf_num_pair mass, mean, squares;
    gsf_num hermite[2], first[2], second[2], smooth[2], size[2];
} gsf_num_contribution;

/* How far a panel is integrated, also in units of xi, and by which power of e the density falls there. */
typedef struct {
    gsf_num_pair width, length;
    gsf_num fall;
} gsf_num_stretch;

/* Sums over nodes around the mean of the values. */
typedef struct {
    gsf_num rest, squares, hermite[2], first[2], second[2], smooth[2], size[2];
} gsf_num_around;

/* What jumps contribute to the derivatives of the mean, and the magnitudes. */
typedef struct {
    gsf_num sums[2], sizes[2];
} gsf_num_flux;

/* The value of a function at gamma: at the nearest place around which it is given, and the rest. */
typedef struct {
    gsf_num_pair place, offset;
} gsf_num_level;

/* What two functions have in common on a part of the line: its mass, both means, the integral of the product. */
typedef struct {
    gsf_num mass;
    gsf_num_pair means[2];
    gsf_num product;
} gsf_num_common;

/* What the pieces of one function come to, or of two with the same knots. */
typedef struct {
    const gsf_table *tables[2];
    gsf_num_deviation deviation;
    gsf_num_level levels[2];
    int slopes;
    gsf_num_contribution contribution;
    gsf_num_flux flux;
    gsf_num_common common;
} gsf_num_sum;

/* The coefficients of a polynomial. */
typedef struct {
    gsf_num_pair c[GSF_MAX_COUNT];
} gsf_num_list;

/* Masses at nodes, and the values of a polynomial there. */
typedef struct {
    gsf_num masses[GSF_MAX_NODES], values[GSF_MAX_NODES];
} gsf_num_values;
