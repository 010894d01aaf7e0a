import type { Verdict } from '../../verifier/report.js';
import { badCases } from './bad-cases.js';
import { goodCases } from './good-cases.js';
import { mapCases } from './map-cases.js';
import { vectorCases } from './vector-bundles.js';
import { zipCases } from './zip-cases.js';

/** A bundle and what must be said of it, known from how it was made. */
export interface Case {
  readonly name: string;
  readonly bundle: Buffer;
  readonly verdict: Verdict;
  /** A break that must be among those named. */
  readonly code?: string;
  readonly options?: CaseOptions;
}

/** Options as the command lines take them; texts are put into files. */
export interface CaseOptions {
  readonly keys?: readonly string[];
  readonly checkpointKeys?: readonly string[];
  readonly keySet?: string;
  readonly checkpoint?: string;
  readonly consistency?: string;
}

export const allCases = (): Case[] => [...goodCases(), ...badCases(), ...mapCases(), ...vectorCases(), ...zipCases()];
