/** A node as readers see it. What is known of a record stands in it; of the others their id says all. */
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

export interface Withheld {
  readonly count: number;
  readonly reason: string;
}

export interface GraphAnswer {
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
  /** Whether there is more than is shown. */
  readonly truncated: boolean;
  readonly withheld?: Withheld;
  readonly next_cursor?: string | null;
  /** Node ids from end to end, the shortest first. */
  readonly paths?: readonly (readonly string[])[];
}
