/** Starts a run. */
export const StartPage = () => <h1>Start</h1>;
