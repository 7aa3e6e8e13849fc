
/* The derivatives of the moments in each parameter: out[0] for the first, and so on. */
GSF_FN void @name@_parameter_grad@suffix@(@real@ gamma, @real@ xi2@parameters@,
        gaussform_parameter_grad@suffix@ *out) {
    const double p[] = @values@;
    double v[3 * @count@];
    gsf_@name@_parameters((double)gamma, (double)xi2, p, v);
    for (int i = 0; i < @count@; i++) {
        out[i].dmean = (@real@)v[3 * i];
        out[i].dsecond = (@real@)v[3 * i + 1];
        out[i].dvariance = (@real@)v[3 * i + 2];
    }
}
