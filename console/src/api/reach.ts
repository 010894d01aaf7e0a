import { useSyncExternalStore } from 'react';

// Whether the service can be reached, and whether the session has ended. Every request reports to this place.

interface Reach {
  readonly isLost: boolean;
  readonly isEnded: boolean;
}

const RETRY_MS = 3_000;

let reach: Reach = { isLost: false, isEnded: false };
const listeners = new Set<() => void>();
let isProbing = false;

function set(change: Partial<Reach>): void {
  const next = { ...reach, ...change };
  if (next.isLost === reach.isLost && next.isEnded === reach.isEnded) return;
  reach = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useReach = (): Reach => useSyncExternalStore(subscribe, () => reach);

export const noteEnded = (isEnded: boolean): void => set({ isEnded });

/** Asks again until an answer comes; any status is an answer. */
function lost(): void {
  set({ isLost: true });
  if (isProbing) return;
  isProbing = true;
  setTimeout(() => {
    isProbing = false;
    fetch('/v1/healthz', { cache: 'no-store' }).then(() => set({ isLost: false }), lost);
  }, RETRY_MS);
}

/** Sends a request and notes what it says of the connection and the session. */
export async function reaching(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    set({ isLost: false });
    // A sign-in with a wrong key is no end of a session.
    if (response.status === 401 && !new URL(request.url).pathname.endsWith('/v1/session')) noteEnded(true);
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) lost();
    throw error;
  }
}

addEventListener('offline', () => lost());
addEventListener('online', () => set({ isLost: false }));
