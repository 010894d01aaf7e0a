import type { AdvocacyArea } from '../parts.js';
import { GuidelineResolver } from './resolver.js';
import { GuidelineCriterion, GuidelineNotApplicable, GuidelineResult } from './schema.js';

export {
  basisOf,
  type CheckGuidelineDeps,
  evaluatedGuidelines,
  finishAnswer,
  GUIDELINE_KINDS,
  rulesInForce,
} from './check-guideline.js';

/** Guideline checks: evaluates criteria on the record of an event. */
export const guidelineArea: AdvocacyArea = {
  resolvers: [GuidelineResolver],
  contractTypes: [GuidelineResult, GuidelineCriterion, GuidelineNotApplicable],
  wire: ({ deps, ruleBook, answers, keeper }) => ({
    resolvers: [new GuidelineResolver({ ...deps, ruleBook, answers, keeper })],
  }),
};
