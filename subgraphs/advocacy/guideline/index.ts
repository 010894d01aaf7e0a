import type { AdvocacyArea } from '../parts.js';
import { knownCodesOver, readOwnCodes } from '../rules/index.js';
import { GuidelineResolver } from './resolver.js';
import { GuidelineCriterion, GuidelineNotApplicable, GuidelineResult, PreviewedCriterion } from './schema.js';

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
  contractTypes: [GuidelineResult, GuidelineCriterion, GuidelineNotApplicable, PreviewedCriterion],
  wire: ({ deps, ruleBook, answers, keeper, codeTables }) => {
    const knownCodes = knownCodesOver(readOwnCodes(), codeTables);
    return { resolvers: [new GuidelineResolver({ ...deps, ruleBook, answers, keeper, knownCodes })] };
  },
};
