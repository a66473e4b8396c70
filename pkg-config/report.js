/** Tells the page of a fault of the application's own, as the platform does. */
export const report =
  globalThis.reportError?.bind(globalThis) ??
  ((error) =>
    queueMicrotask(() => {
      throw error;
    }));
