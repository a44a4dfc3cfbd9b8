/** What the page and the appliance must agree on and the OpenAPI document does not say to programs. test/dashboard/agreed.test.ts compares. */

/** How many characters a password has. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const

/** The address of the page, below that of the appliance, to which the identity provider sends browsers back. */
export const RETURN_PATH = '/sign-in/return'
