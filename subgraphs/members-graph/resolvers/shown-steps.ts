import { isoTime } from '../../../shared/clock/clock.js';
import type { MemberRecordStep } from '../schema/step-line.js';
import type { StepLine } from '../service/ports/stepped-store.js';

export const iso = (at: Date): string => isoTime(at.getTime());
export const isoOrNull = (at: Date | null): string | null => (at === null ? null : iso(at));

/** A history as it is shown: which request took a step is nobody's to know. */
export const shownSteps = (history: readonly StepLine[]): MemberRecordStep[] =>
  history.map(({ work_id: _, at, ...step }) => ({ ...step, at: iso(at) }));
