import type { AdminArea } from '../parts.js';
import { InternalResolver } from './resolver.js';

/** Queries of other parts of the service. */
export const internalArea: AdminArea = {
  resolvers: [InternalResolver],
  wire: (parts) => ({ resolvers: [new InternalResolver(parts)] }),
};
