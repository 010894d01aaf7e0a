import { GuidelineResolver } from '../resolvers/guideline-resolver.js';
import type { WireArea } from './parts.js';

/** Guideline checks: criteria held against the record of an event. */
export const wireGuideline: WireArea = ({ deps, ruleBook, answers, keeper }) => ({
  resolvers: [[GuidelineResolver, new GuidelineResolver({ ...deps, ruleBook, answers, keeper })]],
});
