-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `oc_preferences` (
  `userid` varchar(64) NOT NULL DEFAULT '',
  `appid` varchar(32) NOT NULL DEFAULT '',
  `configkey` varchar(64) NOT NULL DEFAULT '',
  `configvalue` longtext DEFAULT NULL,
  `lazy` smallint(5) unsigned NOT NULL DEFAULT 0,
  `type` smallint(5) unsigned NOT NULL DEFAULT 0,
  `flags` int(10) unsigned NOT NULL DEFAULT 0,
  `indexed` varchar(64) DEFAULT ''
);
INSERT INTO `oc_preferences` VALUES ('admin','core','lang','en',0,0,0,''),('admin','settings','email','admin@nc.example',0,0,0,''),('ada','settings','email','ada@nc.example',0,0,0,''),('ada','core','enabled','true',0,0,0,''),('ada','mail','account-settings','[]',0,0,0,''),('off','settings','email','off@nc.example',0,0,0,''),('off','core','enabled','false',0,0,0,''),('two','settings','email','two@nc.example',0,0,0,''),('nomail','login','lastLogin','1700000000',0,0,0,'');
CREATE TABLE `oc_twofactor_providers` (
  `provider_id` varchar(32) NOT NULL,
  `uid` varchar(64) NOT NULL,
  `enabled` smallint(6) NOT NULL
);
INSERT INTO `oc_twofactor_providers` VALUES ('backup_codes','ada',1),('totp','two',1),('totp','ada',0);
CREATE TABLE `oc_users` (
  `uid` varchar(64) NOT NULL DEFAULT '',
  `displayname` varchar(64) DEFAULT NULL,
  `password` varchar(255) NOT NULL DEFAULT '',
  `uid_lower` varchar(64) DEFAULT ''
);
INSERT INTO `oc_users` VALUES ('admin','Admin','1|$2y$04$IjoTorv0Yn5Y1xlLOM4vEe2LeKfFLnZEoy4E27xk0RV3glPlE6fyi','admin'),('ada','Ada Lovelace','1|$2y$04$NG7qf.afvpLJvXW7TxHbX.aRAgJGvsvMqOx6hMVnNezfJIBNs8DSC','ada'),('off','Off','1|$2y$04$hNQbwaKDdVvWovQqnCqTDuSdsS4n92UKgKpykm/kyEBjLAwMclxMW','off'),('two','Two Factors','1|$2y$04$hFvGGYW8ESl1ZEp1nNIxZ.QwzRbqDNkR752uSrwgP0HrJdUn56gfW','two'),('nomail','No Mail','1|$2y$04$JZHMjU4sBNaZoNoiTdZRdeX/kJ9u5X7NyDd0VKJBII.UZUr3jdpI2','nomail');
-- Dump completed on 2026-01-01  0:00:00
