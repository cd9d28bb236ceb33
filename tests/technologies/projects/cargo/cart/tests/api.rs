#[test]
fn works() {
    assert_eq!(cart::add(1, 1), 2);
}
