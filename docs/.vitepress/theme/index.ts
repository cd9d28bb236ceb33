/** The theme without its font: pages use that of the system. */
export { default } from 'vitepress/theme-without-fonts';
