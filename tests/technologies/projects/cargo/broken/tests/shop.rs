#[test]
fn works() {
    no_such_function();
}
