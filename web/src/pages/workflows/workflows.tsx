/** All workflows. */
export const WorkflowsPage = () => <h1>Workflows</h1>;
