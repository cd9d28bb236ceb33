/** One environment. */
export const EnvironmentPage = () => <h1>Environment</h1>;
