/** A node as the API returns it. Only record nodes have more than an id and a kind. */
export interface ShownNode {
  readonly id: string;
  readonly kind: string;
  readonly at?: string;
  readonly label?: string;
  readonly status?: string;
  readonly source_system?: string;
  /** Other ids of the same member. */
  readonly same_as?: readonly string[];
}

export interface ShownEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly at: string;
  readonly event_id: string | null;
}

interface Withheld {
  readonly count: number;
  readonly reason: string;
}

export interface GraphAnswer {
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
  /** True when the answer omits nodes or edges. */
  readonly truncated: boolean;
  readonly withheld?: Withheld;
}

export interface GraphPageAnswer extends GraphAnswer {
  readonly next_cursor: string | null;
}

export interface GraphPathsAnswer extends GraphAnswer {
  /** Node ids from end to end, the shortest path first. */
  readonly paths: readonly (readonly string[])[];
}
