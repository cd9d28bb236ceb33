/** Among the annotations of a run: whoever accepted it carries it out for the time of one command, and nobody goes on with it later. */
export const LOCAL_ENTRY = 'tutti.local';
