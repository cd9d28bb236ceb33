export const LogPage = () => null;
