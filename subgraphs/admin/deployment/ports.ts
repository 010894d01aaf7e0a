/** The settings that the first start fixes. */
export interface DeploymentRecord {
  readonly origin: string;
  /** Detects another master key at a later start; reveals nothing about the key. */
  readonly master_key_check: string;
  readonly created_at: Date;
}

export interface Deployments {
  /** Stores the record unless one exists; returns the stored one. */
  fix(record: DeploymentRecord): Promise<DeploymentRecord>;
}
