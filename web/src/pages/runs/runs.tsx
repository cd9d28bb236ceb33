/** Which run is mine, and how did it go? */
export const RunsPage = () => <h1>Runs</h1>;
