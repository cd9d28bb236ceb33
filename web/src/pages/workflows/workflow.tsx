/** Is this workflow getting better or worse? */
export const WorkflowPage = () => <h1>Workflow</h1>;
