/** Loads with the first call alone. An `import()` of a module that is there takes 20 µs, which each request would pay. */
export function loadedOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
