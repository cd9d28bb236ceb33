#[test]
fn works() {
    assert!(std::env::var("STORE").is_ok(), "there is no store");
}
