/** The parts of MongoDB's unified test format (its specification, "Unified Test Format") that the runner understands. */
export type Json = Record<string, unknown>;

export interface Requirement {
  readonly minServerVersion?: string;
  readonly maxServerVersion?: string;
  readonly topologies?: readonly string[];
  readonly serverless?: string;
  readonly auth?: boolean;
  readonly csfle?: unknown;
  readonly serverParameters?: Json;
}

export interface Operation {
  readonly name: string;
  readonly object: string;
  readonly arguments?: Json;
  readonly expectResult?: unknown;
  readonly expectError?: Json;
  readonly saveResultAsEntity?: string;
  readonly ignoreResultAndError?: boolean;
}

export interface ExpectedEvents {
  readonly client: string;
  readonly eventType?: string;
  readonly ignoreExtraEvents?: boolean;
  readonly events: readonly Json[];
}

export interface ExpectedLogs {
  readonly client: string;
  readonly ignoreMessages?: readonly Json[];
  readonly ignoreExtraMessages?: boolean;
  readonly messages: readonly Json[];
}

export interface Contents {
  readonly collectionName: string;
  readonly databaseName: string;
  readonly documents: readonly Json[];
  readonly createOptions?: Json;
}

export interface SpecTest {
  readonly description: string;
  readonly skipReason?: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly operations: readonly Operation[];
  readonly expectEvents?: readonly ExpectedEvents[];
  readonly expectLogMessages?: readonly ExpectedLogs[];
  readonly expectTracingMessages?: readonly Json[];
  readonly outcome?: readonly Contents[];
}

export interface SpecFile {
  readonly description: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly createEntities?: readonly Record<string, Json>[];
  readonly initialData?: readonly Contents[];
  readonly tests: readonly SpecTest[];
}

/** What the server under test is, as the requirements name it. */
export interface ServerFacts {
  readonly version: string;
  readonly topology: string;
}

/** Why a file or test does not apply to the server; undefined when it does. */
export function unmetRequirement(
  requirements: readonly Requirement[] | undefined,
  facts: ServerFacts,
): string | undefined {
  if (!requirements || requirements.some((one) => unmet(one, facts) === undefined)) return undefined;
  return requirements.map((one) => unmet(one, facts)).join(' or ');
}

function unmet(one: Requirement, { version, topology }: ServerFacts): string | undefined {
  if (one.minServerVersion && compareVersions(version, one.minServerVersion) < 0)
    return `server ${one.minServerVersion}`;
  if (one.maxServerVersion && compareVersions(version, one.maxServerVersion) > 0)
    return `at most ${one.maxServerVersion}`;
  if (one.topologies && !one.topologies.includes(topology)) return `topology ${one.topologies.join('/')}`;
  if (one.serverless === 'require') return 'serverless';
  if (one.auth === true) return 'authentication';
  if (one.csfle) return 'client-side encryption';
  return one.serverParameters ? 'server parameters' : undefined;
}

function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? (i > 0 && right.split('.').length <= i ? (a?.[i] ?? 0) : 0));
    if (difference !== 0) return difference;
  }
  return 0;
}
