//! Rotation of images around their centre, bilinear between pixels.

use gaussform_bnn::Matrix;

/// Images of this height and width, one to a row, turned counterclockwise by `degrees`. Pixels from beyond the edge
/// are 0.
pub(crate) fn rotated(images: &Matrix, [height, width]: [usize; 2], degrees: f64) -> Matrix {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let centre = [height, width].map(|size| (size as f64 - 1.0) / 2.0);
    let mut values = Vec::with_capacity(images.values().len());
    for image in images.iter() {
        let pixel = |i: f64, j: f64| {
            let inside = i >= 0.0 && j >= 0.0 && i < height as f64 && j < width as f64;
            if inside { image[i as usize * width + j as usize] } else { 0.0 }
        };
        for i in 0..height {
            for j in 0..width {
                let (y, x) = (i as f64 - centre[0], j as f64 - centre[1]);
                let (y, x) = (centre[0] + cos * y + sin * x, centre[1] + cos * x - sin * y);
                let (i, j) = (y.floor(), x.floor());
                let (down, right) = (y - i, x - j);
                values.push(
                    (1.0 - down) * ((1.0 - right) * pixel(i, j) + right * pixel(i, j + 1.0))
                        + down
                            * ((1.0 - right) * pixel(i + 1.0, j) + right * pixel(i + 1.0, j + 1.0)),
                );
            }
        }
    }
    // The images have as many values as before, so that their shape is valid.
    Matrix::new(images.columns(), values).unwrap_or_else(|_| images.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_moves_the_right_edge_to_the_top() {
        let image = Matrix::new(9, vec![0.0, 0.0, 3.0, 0.0, 5.0, 2.0, 0.0, 0.0, 1.0]).unwrap();
        let turned = rotated(&image, [3, 3], 90.0);
        let expected = [3.0, 2.0, 1.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0];
        for (found, expected) in turned.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{turned:?}");
        }
        assert_eq!(rotated(&image, [3, 3], 0.0), image);
    }
}
