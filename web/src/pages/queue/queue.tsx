/** The queue: waiting jobs, and the reasons. */
export const QueuePage = () => <h1>Queue</h1>;
