/** Which machine is free, busy or lost? */
export const EnvironmentsPage = () => <h1>Environments</h1>;
