import { EdxResolver } from '../resolvers/edx-resolver.js';
import type { WireArea } from './parts.js';

/** Exports of sealed bundles. */
export const wireEdx: WireArea = ({ bundles }) => ({ resolvers: [[EdxResolver, new EdxResolver({ bundles })]] });
