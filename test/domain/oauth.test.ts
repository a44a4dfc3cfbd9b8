import t from 'tap'
import { isRedirectUri } from '../../dist/domain/oauth.js'

t.test('codes may be sent to https, to this machine, and to programs', async (t) => {
  for (const uri of [
    'https://app.example/cb',
    'https://app.example:8443/cb?x=1',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:4711/',
    'http://[::1]/cb',
    'http://localhost:3000/cb',
    'com.example.app:/cb',
    'cursor://anysphere/cb'
  ]) {
    t.ok(isRedirectUri(uri), uri)
  }
})

t.test('and nowhere else', async (t) => {
  for (const uri of [
    '',
    '/cb',
    'app.example/cb',
    'http://app.example/cb',
    'http://127.0.0.1.evil.example/',
    'http://10.0.0.1/',
    'https://localhost/',
    'https://app.example/#x',
    'https://app.example/cb#',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://a.example/'
  ]) {
    t.notOk(isRedirectUri(uri), uri)
  }
})
