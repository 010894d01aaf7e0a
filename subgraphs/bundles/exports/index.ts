import type { BundlesArea } from '../parts.js';
import { EdxResolver } from './resolver.js';

/** Exports of sealed bundles. */
export const exportsArea: BundlesArea = {
  resolvers: [EdxResolver],
  wire: ({ deps, bundles }) => ({ resolvers: [new EdxResolver({ ...deps, bundles })] }),
};
