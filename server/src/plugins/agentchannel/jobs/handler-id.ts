/** The id of this channel handler: the same after every restart and in every replica. */
export const HANDLER_ID = '5f0c0e0a-7f0e-4b6e-9d53-a6c4a3f2b1d0';
