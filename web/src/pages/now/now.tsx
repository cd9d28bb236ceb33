/** Is anything wrong, and what is waiting? */
export const NowPage = () => <h1>Now</h1>;
