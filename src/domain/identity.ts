/** People at the identity provider. */

/** A person: `subject` is unique at the issuer and is never given to somebody else, unlike names and addresses. */
export type Identity = { issuer: string, subject: string }

/** The longest subject that OpenID Connect allows. */
export const MAX_SUBJECT_LENGTH = 255

/** What people see of a provider: the host of its address. */
export const providerName = (issuer: string): string => new URL(issuer).host
