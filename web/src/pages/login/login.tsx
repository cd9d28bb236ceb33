/** Signing in with a token. */
export const LoginPage = () => <h1>Sign in</h1>;
