/** Which version is this? */
export const AboutPage = () => <h1>About</h1>;
