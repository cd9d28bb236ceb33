#[test]
fn ends() {
    std::process::exit(3);
}
