import type { AdminArea } from '../parts.js';
import { JobsResolver } from './resolver.js';

/** The state of background jobs. */
export const jobsArea: AdminArea = {
  resolvers: [JobsResolver],
  wire: (parts) => ({ resolvers: [new JobsResolver(parts)] }),
};
