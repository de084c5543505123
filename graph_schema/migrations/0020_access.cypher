// Accounts and credentials: what must be unique, and what every request looks up.
CREATE CONSTRAINT user_email IF NOT EXISTS FOR (u:User) REQUIRE u.email IS UNIQUE;
CREATE CONSTRAINT organization_slug IF NOT EXISTS FOR (o:Organization) REQUIRE o.slug IS UNIQUE;
CREATE CONSTRAINT api_key_secret IF NOT EXISTS FOR (k:ApiKey) REQUIRE k.secretHash IS UNIQUE;
CREATE CONSTRAINT one_time_link_token IF NOT EXISTS FOR (l:OneTimeLink) REQUIRE l.tokenHash IS UNIQUE;
CREATE INDEX one_time_link_org IF NOT EXISTS FOR (l:OneTimeLink) ON (l.orgId, l.email);
