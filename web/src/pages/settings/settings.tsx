/** Settings: the session, and how the page looks. */
export const SettingsPage = () => <h1>Settings</h1>;
