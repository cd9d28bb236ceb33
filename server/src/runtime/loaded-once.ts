/** Loads on the first call. An `import()` of a loaded module takes 20 µs, which each request would pay. */
export function loadedOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
