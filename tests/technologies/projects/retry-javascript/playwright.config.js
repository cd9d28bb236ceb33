module.exports = {
  projects: [
    { name: 'phone [é]', testIgnore: /more/ },
    { name: 'desktop', testMatch: /more/ },
  ],
};
