import type { AdminArea } from '../parts.js';
import { SESSION_COLLECTION } from './model.js';
import { SessionResolver } from './resolver.js';

export { SessionCheck } from './check-session.js';
export { sessionStore } from './model.js';
export { openPersonSession, type PersonSessionDeps } from './open-person-session.js';
export { rightsOfGrantor } from './rights-of-grantor.js';

/** Sessions of the console: an API key is exchanged once for a cookie. */
export const sessionsArea: AdminArea = {
  resolvers: [SessionResolver],
  collections: [SESSION_COLLECTION],
  wire: (parts) => ({ resolvers: [new SessionResolver(parts)], close: () => parts.authority.settled() }),
};
