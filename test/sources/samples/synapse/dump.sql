PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users( name TEXT, password_hash TEXT, creation_ts BIGINT, admin SMALLINT DEFAULT 0 NOT NULL, upgrade_ts BIGINT, is_guest SMALLINT DEFAULT 0 NOT NULL, appservice_id TEXT, consent_version TEXT, consent_server_notice_sent TEXT, user_type TEXT DEFAULT NULL, deactivated SMALLINT DEFAULT 0 NOT NULL, shadow_banned BOOLEAN, consent_ts bigint, approved BOOLEAN, locked BOOLEAN DEFAULT FALSE NOT NULL, suspended BOOLEAN DEFAULT FALSE NOT NULL, UNIQUE(name) );
INSERT INTO users VALUES('@root:example.org','$2b$04$.21dQhlEOhxmUZElRlg7MuRQvZbV.0w064GTSKExSgB8hx0CvyIVC',1701283584,1,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@ada:example.org','$2b$04$cWZvG0j0Ba.WlxZZU0mkMuUDQcVIs9FRlGH67u97xgjoKMhX6LxSy',1701283608,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@zoe:example.org','$2b$04$YEiqTezITHLmRoN9sBr5n.DhqQHU9Y3HflMQXEwBKickp2X2lMURu',1701283609,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@nomail:example.org','$2b$04$SebMC4EiRnD5bBjQ2.So/eMUEM0bd4VZVl0yJjNfJXZniK3VLoKxm',1701283610,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@phone:example.org','$2b$04$RI4KFGDVEh5YuQPms/2.ROwXQCkez7hBkkfF3vh7BtYviY4y1Y5SS',1701283611,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@locked:example.org','$2b$04$LIez3feOL6vOVsO1VHgfAeg2UNU4eQWcJeqLKd/gTjDWFmqccGWG.',1701283612,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,1,0);
INSERT INTO users VALUES('@susp:example.org','$2b$04$.Eu3eY7tuRhlDn9wJuYcOewypt4nVyzHqm86johLlWM4HfKN22z0K',1701283613,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,1);
INSERT INTO users VALUES('@shadow:example.org','$2b$04$zEUbMSHgLO/Ob4R0lywigu8ghgpnlVTZ0ESD0OagU5/Bilxu2tY2O',1701283614,0,NULL,0,NULL,NULL,NULL,NULL,0,1,NULL,1,0,0);
INSERT INTO users VALUES('@bot:example.org','$2b$04$JDGHWf1FzrfB8/pBE1yKRO9KdPoF45RT6xyzCeEwnkAptkt/9Mupq',1701283615,0,NULL,0,NULL,NULL,NULL,'bot',0,0,NULL,1,0,0);
INSERT INTO users VALUES('@support:example.org','$2b$04$JYtYOQLyhHOYGdyDYp0qQeAmqDrRRUU6OHyGg/0xe6h0dPJxP/xXG',1701283616,0,NULL,0,NULL,NULL,NULL,'support',0,0,NULL,1,0,0);
INSERT INTO users VALUES('@gone:example.org',NULL,1701283617,0,NULL,0,NULL,NULL,NULL,NULL,1,0,NULL,1,0,0);
INSERT INTO users VALUES('@wait:example.org','$2b$04$9H/0HDNMegHQqGc332wZKuCq.7OOEPbY.jTMkbbS1EILR.QL/ITgC',1701283618,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,0,0,0);
INSERT INTO users VALUES('@expired:example.org','$2b$04$77ORfFalsHvDnxedT4Ouaump.QxcOeIQO7.WLJc.XwAYsxhkXbH9K',1701283618,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@sso:example.org',NULL,1701283618,0,NULL,0,NULL,NULL,NULL,NULL,0,0,NULL,1,0,0);
INSERT INTO users VALUES('@12:example.org',NULL,1701283700,0,NULL,1,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0,0);
INSERT INTO users VALUES('@_irc_bob:example.org',NULL,1701283701,0,NULL,0,'irc',NULL,NULL,NULL,0,NULL,NULL,NULL,0,0);
COMMIT;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "user_threepids" ( user_id TEXT NOT NULL, medium TEXT NOT NULL, address TEXT NOT NULL, validated_at BIGINT NOT NULL, added_at BIGINT NOT NULL, CONSTRAINT medium_address UNIQUE (medium, address) );
INSERT INTO user_threepids VALUES('@ada:example.org','email','ada.second@example.com',1701283608125,1701283608125);
INSERT INTO user_threepids VALUES('@ada:example.org','email','ada@example.com',1701283608125,1701283608133);
INSERT INTO user_threepids VALUES('@zoe:example.org','email','zoe@example.com',1701283609206,1701283609206);
INSERT INTO user_threepids VALUES('@phone:example.org','msisdn','4915112345678',1701283611195,1701283611195);
INSERT INTO user_threepids VALUES('@locked:example.org','email','locked@example.com',1701283612242,1701283612242);
INSERT INTO user_threepids VALUES('@susp:example.org','email','susp@example.com',1701283613308,1701283613308);
INSERT INTO user_threepids VALUES('@shadow:example.org','email','shadow@example.com',1701283614315,1701283614315);
INSERT INTO user_threepids VALUES('@bot:example.org','email','bot@example.com',1701283615061,1701283615061);
INSERT INTO user_threepids VALUES('@support:example.org','email','support@example.com',1701283616242,1701283616242);
INSERT INTO user_threepids VALUES('@wait:example.org','email','wait@example.com',1701283618167,1701283618167);
INSERT INTO user_threepids VALUES('@expired:example.org','email','expired@example.com',1701283618951,1701283618951);
INSERT INTO user_threepids VALUES('@sso:example.org','email','sso@example.com',1701283618961,1701283618961);
COMMIT;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE user_external_ids (
    auth_provider TEXT NOT NULL,
    external_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    UNIQUE (auth_provider, external_id)
);
INSERT INTO user_external_ids VALUES('oidc-google','1234567890','@zoe:example.org');
INSERT INTO user_external_ids VALUES('saml','sso-7','@sso:example.org');
COMMIT;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE account_validity ( user_id TEXT PRIMARY KEY, expiration_ts_ms BIGINT NOT NULL, email_sent BOOLEAN NOT NULL, renewal_token TEXT , token_used_ts_ms BIGINT);
INSERT INTO account_validity VALUES('@expired:example.org',1701383700000,0,NULL,NULL);
INSERT INTO account_validity VALUES('@ada:example.org',4102444800000,0,NULL,NULL);
COMMIT;
