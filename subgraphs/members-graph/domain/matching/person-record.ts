/** What is known of a person, as it was given: a member of the directory, or a record to be matched with them. */
export interface PersonRecord {
  readonly family?: string;
  readonly given?: readonly string[];
  readonly suffix?: string;
  /** Earlier family names. */
  readonly formerFamilies?: readonly string[];
  /** YYYY, YYYY-MM or YYYY-MM-DD. */
  readonly birthDate?: string;
  readonly sex?: string;
  /** Place among those born together; only that there were several is of use. */
  readonly isOfMultipleBirth?: boolean;
  readonly addresses?: readonly PersonAddress[];
  readonly phones?: readonly string[];
  readonly emails?: readonly string[];
  readonly identifiers?: readonly PersonIdentifier[];
}

export interface PersonAddress {
  readonly lines?: readonly string[];
  readonly city?: string;
  readonly state?: string;
  readonly postalCode?: string;
}

export interface PersonIdentifier {
  readonly system: string;
  readonly value: string;
}
