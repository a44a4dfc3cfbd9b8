/** What is written in the page and in the appliance is the same. */
import t from 'tap'
import { readConfig } from '../../dist/config.js'
import { PASSWORD_LENGTH } from '../../dist/domain/access.js'
import { SECRET_PARAMETERS } from '../../dist/domain/source.js'
import { MAX_SPEAKERS } from '../../dist/domain/speaker-options.js'
import { MAX_TERM_LENGTH, MAX_TERMS } from '../../dist/domain/terms.js'
import * as page from '../../src/dashboard/api/agreed.ts'

t.test('the length of passwords', async (t) => {
  t.strictSame(page.PASSWORD_LENGTH, PASSWORD_LENGTH)
})

t.test('how many speakers and special words a recording may have', async (t) => {
  t.equal(page.MOST_SPEAKERS, MAX_SPEAKERS)
  t.strictSame([page.MOST_TERMS, page.LONGEST_TERM], [MAX_TERMS, MAX_TERM_LENGTH])
})

t.test('the query parameters that hold secrets', async (t) => {
  t.strictSame(page.SECRET_PARAMETERS, SECRET_PARAMETERS)
})

t.test('the address to which the identity provider sends browsers back', async (t) => {
  const { oauth } = readConfig({
    STENOBOX_PUBLIC_URL: 'https://box.example/steno', STENOBOX_OAUTH_ISSUER: 'https://login.example', STENOBOX_OAUTH_CLIENT_ID: 'stenobox',
    STENOBOX_OAUTH_CLIENT_SECRET: 'between us'
  })
  t.equal(oauth?.signIn?.redirectUri, `https://box.example/steno${page.RETURN_PATH}`)
})
